//go:build e2e

package main

const makesPackages = true
