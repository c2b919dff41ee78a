//go:build !linux

package forgetest

// MemoryDir makes a folder in memory; there is no known place for it here.
func MemoryDir() string { return "" }
