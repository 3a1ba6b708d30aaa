import { createReadStream, createWriteStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { constants, createGzip } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Writes `name.gz` beside every text asset, so that the gateway serves ready-made files. */
function precompress(): Plugin {
  let outDir = "dist";
  return {
    name: "precompress",
    apply: "build",
    configResolved(config) {
      outDir = config.build.outDir;
    },
    async writeBundle() {
      const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
        .filter(
          (entry) => entry.isFile() && /\.(js|css|html|svg|json|webmanifest)$/.test(entry.name),
        )
        .map((entry) => join(entry.parentPath, entry.name));
      await Promise.all(
        files.map((file) =>
          pipeline(
            createReadStream(file),
            createGzip({ level: constants.Z_BEST_COMPRESSION }),
            createWriteStream(`${file}.gz`),
          ),
        ),
      );
    },
  };
}

const gateway = process.env.GATEWAY_URL ?? "http://127.0.0.1:8080";
// The gateway compares Origin with its own host, so the proxy must speak as that host.
const proxied = { target: gateway, changeOrigin: true, headers: { origin: gateway } };

export default defineConfig({
  plugins: [
    tanstackRouter({
      target: "react",
      autoCodeSplitting: true,
      routesDirectory: "./src/routes",
      generatedRouteTree: "./src/routeTree.gen.ts",
      quoteStyle: "double",
      semicolons: true,
    }),
    react(),
    tailwindcss(),
    precompress(),
  ],
  resolve: { alias: { "#": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { port: 5173, proxy: { "/api": proxied, "^/hourmeter\\..*": proxied } },
  build: {
    target: "es2022",
    // Inlined fonts would be data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./src/test/setup.ts"],
    restoreMocks: true,
  },
});
