import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: { outDir: "../../build/page", emptyOutDir: true, target: "es2022", sourcemap: false },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { include: ["unit/**/*.test.ts"], environment: "node" },
});
