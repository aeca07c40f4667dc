import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The running service that the console of a developer talks to. */
const SERVICE = process.env.TACHO_URL ?? 'http://127.0.0.1:8080'

/**
 * Code that some pages share, with what imports it. The styles of maps come with it: after those of the library, which
 * they change.
 */
const CHART = /node_modules\/uplot|console\/src\/chart\/|explanation-view/
const MAPS = /(base-map|outlines|base-style|place-labels|-layers|(?<!lazy)-map|car-features|speed-legend)\.(tsx?|css)$/

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Which page loads what, for `test/console/size.test.ts`.
    manifest: true,
    // The map library alone is larger than the limit that Vite warns of.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // A page loads what all pages need, what many share, and its own file: a hundred small files are a sixth longer,
        // and each of them is a request. A group takes what its modules import as well, so the order matters.
        codeSplitting: {
          groups: [
            { name: 'map-library', test: /node_modules\/maplibre-gl/ },
            { name: 'map-library-own', test: /node_modules\/@protomaps/ },
            { name: 'map-library-drawing', test: /node_modules\/terra-draw/ },
            // Texts change apart from the code, and those of another language are a file as well.
            { name: 'en', test: /console\/src\/translations\/en\.ts/ },
            { name: 'libraries', test: /node_modules/, tags: ['$initial'] },
            { name: 'start', tags: ['$initial'] },
            // What opens above a page needs these, too, and none of the following.
            { name: 'icons', test: /node_modules\/@(tabler|mantine\/(hooks|store))/, minShareCount: 2 },
            { name: 'controls', test: /node_modules\/(?!uplot)/, minShareCount: 2 },
            { name: 'shared', test: id => !CHART.test(id) && !MAPS.test(id), minShareCount: 2 },
            { name: 'chart', test: CHART },
            { name: 'maps', test: MAPS },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/cc', '/auth', '/admin', '/stream', '/openapi.json', '/console'].map(path => [path, { target: SERVICE }]),
    ),
  },
})
