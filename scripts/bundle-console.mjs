// Makes the pages of the console, dist/console/.
import { join } from 'node:path'
import { build } from 'vite'
import { bundledPackages } from './bundled-packages.mjs'
import { ROOT } from './root.mjs'

await build({
  configFile: join(ROOT, 'console/vite.config.ts'),
  logLevel: 'warn',
  plugins: [bundledPackages('console')],
})
