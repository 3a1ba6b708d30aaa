import {
  createReadStream,
  createWriteStream,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { minifySync, type Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { landingPages, prerenderLanding } from "./build/landing-pages.ts";
import { chunkByPages, importPageFiles, surveyPages, writePageFiles } from "./build/page-files.ts";

/** Writes `name.gz` and `name.br` beside every text file, so that the gateway serves ready-made ones. */
function precompress(): Plugin {
  let outDir = "dist";
  const encoders = {
    gz: () => createGzip({ level: constants.Z_BEST_COMPRESSION }),
    br: () => createBrotliCompress(),
  };
  return {
    name: "precompress",
    apply: "build",
    configResolved(config) {
      outDir = config.build.outDir;
    },
    // When all parts are built.
    buildApp: { order: "post", handler: compressAll },
  };

  async function compressAll() {
    // Files of `public` are copied as they are.
    for (const name of ["reload-guard.js", "theme-init.js"]) {
      const file = join(outDir, name);
      writeFileSync(file, minifySync(name, readFileSync(file, "utf8")).code);
    }
    const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(js|css|html|svg|json|webmanifest)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
    // Some at a time: container builds may open only 1,024 files.
    for (let done = 0; done < files.length; done += 50) {
      await Promise.all(
        files
          .slice(done, done + 50)
          .flatMap((file) =>
            Object.entries(encoders).map(([ending, encoder]) =>
              pipeline(createReadStream(file), encoder(), createWriteStream(`${file}.${ending}`)),
            ),
          ),
      );
    }
  }
}

/** Leaves the JSON format out of the transport, which uses the binary one. */
function binaryFormatOnly(): Plugin {
  return {
    name: "binary-format-only",
    enforce: "pre",
    apply: "build",
    resolveId: {
      filter: { id: /^@bufbuild\/protobuf$/ },
      handler: (_, importer) =>
        importer?.endsWith("/connect/dist/esm/protocol/serialization.js")
          ? fileURLToPath(new URL("./build/binary-format.ts", import.meta.url))
          : null,
    },
  };
}

/**
 * Embeds the descriptors of generated contracts as bytes instead of base64: compressed, they are a
 * third smaller.
 */
function binaryDescriptors(): Plugin {
  const descriptor = /(?<=fileDesc\()"(?<base64>[A-Za-z0-9+/=]+)"/;
  return {
    name: "binary-descriptors",
    apply: "build",
    transform: {
      filter: { id: /_pb\.ts$/ },
      handler: (code) =>
        code.replace(descriptor, (_, base64: string) => {
          const bytes = Buffer.from(base64, "base64").toString("latin1");
          return `btoa(${JSON.stringify(bytes)})`;
        }),
    },
  };
}

const alias = {
  "#": fileURLToPath(new URL("./src", import.meta.url)),
  // The shim is for versions of React without this hook.
  "use-sync-external-store/shim": "use-sync-external-store",
};
const gateway = process.env.GATEWAY_URL ?? "http://127.0.0.1:8080";
// The gateway compares Origin with its own host, so the proxy must speak as that host.
const proxied = { target: gateway, changeOrigin: true, headers: { origin: gateway } };

// These replace the window's location, its storage or the device's database, so they share no window.
const ownProcess = [
  "src/app/reload-guard.test.ts",
  "src/device/enrolment.test.ts",
  "src/device/identity.test.ts",
  "src/features/operator/operator-draft.test.tsx",
  "src/features/operator/send/contact.test.ts",
  "src/features/operator/send/send-by-device.test.ts",
  "src/features/phone/enrol.test.ts",
  "src/features/phone/phone-people.test.tsx",
  "src/features/sandbox/checkout-page.test.tsx",
  "src/landing.test.ts",
];

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
    binaryFormatOnly(),
    binaryDescriptors(),
    tailwindcss(),
    prerenderLanding(alias),
    surveyPages(),
    writePageFiles(),
    importPageFiles(),
    precompress(),
  ],
  resolve: { alias },
  server: { port: 5173, proxy: { "/api": proxied, "^/hourmeter\\..*": proxied } },
  build: {
    target: "es2022",
    // What Tailwind's output needs; these browsers need no second form of each color.
    cssTarget: ["chrome111", "firefox128", "safari16.4"],
    // Inlined fonts would be data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
  environments: {
    // Lists the modules that the first pages need.
    survey: {
      consumer: "client",
      build: { write: false, minify: false, rollupOptions: { input: "index.html" } },
    },
    client: {
      build: {
        rollupOptions: {
          input: "index.html",
          output: {
            // Names of files do not compress, and the first files name all others.
            chunkFileNames: "assets/[name]-[hash:7].js",
            codeSplitting: {
              groups: [
                { name: chunkByPages, debugName: "pages", includeDependenciesRecursively: false },
              ],
            },
          },
        },
      },
    },
    // They share no code with the application, so that their own is one small file.
    landing: {
      consumer: "client",
      build: {
        emptyOutDir: false,
        manifest: ".vite/landing-manifest.json",
        rollupOptions: { input: landingPages },
      },
    },
    worker: {
      consumer: "client",
      build: {
        copyPublicDir: false,
        emptyOutDir: false,
        manifest: false,
        // The worker's address stays, since browsers look there for the next one.
        rollupOptions: { input: "src/sw.ts", output: { entryFileNames: "sw.js" } },
      },
    },
  },
  builder: {
    // The survey and what uses it are one instance.
    sharedConfigBuild: true,
    async buildApp(builder) {
      const { survey, client, landing, worker } = builder.environments;
      for (const part of [survey, client, landing, worker]) if (part) await builder.build(part);
    },
  },
  test: {
    environment: "jsdom",
    projects: [
      // One module graph for all files: isolating a file takes longer than its tests.
      {
        extends: true,
        test: {
          name: "rules",
          include: ["src/**/*.test.ts"],
          exclude: ownProcess,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "components",
          include: ["src/**/*.test.tsx"],
          exclude: ownProcess,
          // Threads that keep compiled code: a process for each file takes twice the time.
          pool: "vmThreads",
        },
      },
      { extends: true, test: { name: "own process", include: ownProcess } },
    ],
    setupFiles: ["./src/test/setup.ts"],
    restoreMocks: true,
    // Whole pages: on a machine that is ten times slower they must still pass.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: "100%",
  },
});
