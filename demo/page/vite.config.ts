import { defineConfig } from "vitest/config";

/** The oldest browsers that the build supports (README, "Page"). */
const BASELINE = ["chrome108", "edge108", "firefox110", "safari16"];

export default defineConfig({
  base: "./",
  build: { outDir: "../../build/page", emptyOutDir: true, target: BASELINE, sourcemap: false },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { include: ["unit/**/*.test.ts"], environment: "node" },
});
