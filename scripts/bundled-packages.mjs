// Keeps what the bundlers really put into dist/, for its licences and its list of components (release.mjs).
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { ROOT } from './root.mjs'

const NODE_MODULES = join(ROOT, 'node_modules') + sep

export const listOf = bundle => join(ROOT, 'node_modules/.cache/tacho', `bundled-${bundle}.json`)

/** A plugin of rolldown and vite that writes the folders of the packages of a bundle, below the root of the project. */
export function bundledPackages(bundle) {
  const folders = new Set()
  const add = path => {
    const folder = packageFolder(path)
    if (folder !== undefined) folders.add(folder)
  }
  return {
    name: 'bundled-packages',
    generateBundle(_options, files) {
      for (const file of Object.values(files)) {
        if (file.type === 'chunk') file.moduleIds.forEach(add)
        else for (const path of file.originalFileNames ?? []) add(join(ROOT, 'console', path))
      }
      // Styles are no modules of a chunk once they are a file of their own.
      for (const path of this.getModuleIds()) if (/\.css(\?|$)/.test(path)) add(path)
      mkdirSync(dirname(listOf(bundle)), { recursive: true })
      writeFileSync(listOf(bundle), JSON.stringify([...folders].sort((a, b) => a.localeCompare(b, 'en'))))
    },
  }
}

/** `node_modules/a/node_modules/@b/c` for a file of that package; undefined for one of this project. */
function packageFolder(path) {
  const start = path.indexOf(NODE_MODULES)
  if (start === -1) return undefined
  const below = path
    .slice(start + NODE_MODULES.length - 'node_modules/'.length)
    .split(sep)
    .join('/')
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/?]+/.exec(below)?.[0]
}
