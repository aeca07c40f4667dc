// How sources and packages become few files for Node: the program, and the benchmarks, which run its code in their own process.
import { join, sep } from 'node:path'
import { ROOT } from './root.mjs'

/** Of this project alone: it may itself lie in a folder of that name. */
const PACKAGES = join(ROOT, 'node_modules') + sep

export const INPUT = {
  platform: 'node',
  // Code of the machine, and what its user can do without.
  external: [/^@node-rs\/argon2/, /^pg-native$/],
}

export const OUTPUT = {
  // Half of what a start takes is to read the code. Names stay, for those who read a stack.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
}

/**
 * Sources name other files from where they are.
 * @param {(path: string) => string} placeOf what a source at a path is told instead: an expression, on one line, so that maps stay right
 */
export function placesOfSources(placeOf) {
  return {
    name: 'places-of-sources',
    transform(code, path) {
      if (path.startsWith(PACKAGES) || !code.includes('import.meta.url')) return null
      return { code: code.replaceAll('import.meta.url', placeOf(path)), map: null }
    },
  }
}
