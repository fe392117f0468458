package main

import "fmt"

func Greet() { fmt.Println() }
