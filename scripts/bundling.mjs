// How sources and packages become few files for Node: the program, and the benchmarks, which run its code in their own process.
import { join } from 'node:path'
import { ROOT } from './prepare.mjs'

export const INPUT = {
  platform: 'node',
  // Code of the machine, and what its user can do without.
  external: [/^@node-rs\/argon2/, /^pg-native$/],
  resolve: { alias: { undici$: join(ROOT, 'scripts/undici-of-proxy.cjs') } },
}

export const OUTPUT = {
  // Half of what a start takes is to read the code. Names stay, for those who read a stack.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  // `pg` looks where it runs; without this, which Node has since 21, it would load all of `fetch` to find that out.
  banner: 'globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node}` };',
}
