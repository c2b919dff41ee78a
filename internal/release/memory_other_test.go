//go:build !linux

package release

func memoryDir() string { return "" }
