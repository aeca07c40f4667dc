// Makes the program that Node runs, dist/: the sources and the packages that they use in a few files. As some 3,000 files
// they took each process more than a second to find and read before it began.
import { cpSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { bundledPackages } from './bundled-packages.mjs'
import { INPUT, OUTPUT, placesOfSources } from './bundling.mjs'
import { ROOT } from './root.mjs'

const SOURCES = join(ROOT, 'src')

/** What is started as a process or a thread of its own; each is a file at the place of its source. */
const STARTED = ['main', 'gateways/reading-worker', 'api/v2/rule-preview/folding-thread']

/** In the program it is their place in dist/, whichever file they are in. */
const inProgram = placesOfSources(path => {
  const place = relative(SOURCES, path).replace(/\.ts$/, '.js').split(sep).join('/')
  return `new URL('./${place}', import.meta.url).href`
})

const onlyAtTop = {
  name: 'only-at-top',
  renderChunk(code, { fileName }) {
    if (fileName.includes('/') && code.includes('import.meta.url'))
      throw new Error(`${fileName} names files from where it is, which only files at the top of dist/ can`)
    return null
  },
}

const bundle = await rolldown({
  ...INPUT,
  input: {
    ...Object.fromEntries(STARTED.map(name => [name, join(SOURCES, `${name}.ts`)])),
    // What the program loads where it is there (src/cli/lab.ts).
    lab: join(ROOT, 'lab/index.ts'),
  },
  plugins: [inProgram, onlyAtTop, bundledPackages('service')],
})
await bundle.write({
  ...OUTPUT,
  dir: join(ROOT, 'dist'),
  format: 'cjs',
  dynamicImportInCjs: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
})
await bundle.close()
writeFileSync(join(ROOT, 'dist/package.json'), '{ "type": "commonjs" }\n')
// What is read as a file lies where its source would be; the page of the API document is files that its package has ready.
cpSync(join(SOURCES, 'geo/state-outlines.topojson'), join(ROOT, 'dist/geo/state-outlines.topojson'))
cpSync(join(ROOT, 'node_modules/@fastify/swagger-ui/static'), join(ROOT, 'dist/docs-page'), { recursive: true })
