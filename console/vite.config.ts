import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { preloadStartPage } from './preload-start-page.ts'

/** The running service that the console of a developer talks to. */
const SERVICE = process.env.TACHO_URL ?? 'http://127.0.0.1:8080'

const LIBRARIES =
  /node_modules\/(?!world-atlas|uplot|maplibre-gl|topojson-client|terra-draw|@protomaps|dayjs|@mantine\/(dates|notifications|spotlight)|react-transition-group|write-excel-file|fflate)/
const SHARED =
  /vite\/preload-helper|console\/src\/(?!shell\/palette|calendar\/date-input)((api|calendar|dialog|figures|fleet|language|live|page|session|shell|table)\/|.*-search\.ts|areas\/(areas-query|shape)\.ts|car\/vehicle-queries\.ts|trips\/short-address\.ts|map\/car-features\.ts|base-map\/(palette|lon-lat|lazy-map|map-choice)\.tsx?|faults\/(faults-query|fault-list)\.ts|statistics\/(statistics-queries|at-most-every|summaries|bins)\.ts|incidents\/(acknowledge|incident|incidents-query)\.tsx?)/
// Maps are not among the pages: what they need of the base map, the start page needs as well.
const PAGES =
  /console\/src\/(?!areas\/(areas-map|area-layers)|incidents\/incident-map|car\/car-map)(account|add-dongle|administration|areas|car|devices|export|faults|incidents|measurements|rules|statistics|trip|trips)\//

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), preloadStartPage()],
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The map library alone is larger than the limit that Vite warns of.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // A hundred small files are a sixth longer than few large ones, and each of them is a request.
        codeSplitting: {
          groups: [
            { name: 'chart', test: /node_modules\/uplot/ },
            // What the first page needs and others share. A group takes what its modules import as well, so these come before.
            { name: 'libraries', test: LIBRARIES },
            // Texts change apart from the code, and those of another language are a file as well.
            { name: 'en', test: /console\/src\/translations\/en\.ts/ },
            { name: 'shared', test: SHARED },
            // What opens above a page is loaded when it is first wanted.
            { name: 'toasts', test: /node_modules\/(@mantine\/notifications|react-transition-group)/ },
            { name: 'spreadsheet', test: /node_modules\/(write-excel-file|fflate)/ },
            { name: 'palette', test: /node_modules\/@mantine\/spotlight|shell\/palette/ },
            { name: 'calendar', test: /node_modules\/(@mantine\/dates|dayjs)|calendar\/date-input/ },
            { name: 'base-map', test: /node_modules\/(maplibre-gl|topojson-client)/ },
            {
              name: 'base-map-drawing',
              test: /node_modules\/terra-draw|console\/src\/areas\/draw-shape\.ts/,
            },
            { name: 'base-map-own', test: /node_modules\/@protomaps/ },
            // All other pages: none of them is needed at the start.
            { name: 'pages', test: PAGES },
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
