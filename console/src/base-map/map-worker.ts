import { prewarm, setWorkerUrl } from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'

// The bundler moves the library, so that it would not find its worker beside itself.
setWorkerUrl(workerUrl)
// It loads while the page still asks what the map shows.
prewarm()
