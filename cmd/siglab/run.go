// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"io"

	"siglat/cmd/internal/cli"
)

func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return cli.Usagef("no plan")
}
