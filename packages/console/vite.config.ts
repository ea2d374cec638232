import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Every address is relative, so that the console works below any path of a proxy. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // An inlined file would be a `data:` address, which the Content-Security-Policy allows for images alone.
    assetsInlineLimit: 0,
    // One file compresses better than one for each page, and is within the budget of the first load.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
});
