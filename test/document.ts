import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** A document of the project that tests check. */
interface Document {
  readonly text: string
  /** The fenced block with that name: the word behind its language. */
  block(name: string): string
  /** Files and folders that it names and that do not exist. */
  missingFiles(): string[]
}

/** @param path from the root of the project. */
export function readDocument(path: string): Document {
  const text = readFileSync(inRoot(path), 'utf8')
  const blocks = new Map<string, string>()
  for (const [, name = '', body = ''] of text.matchAll(/^```\w+ ([\w-]+)\n([^]*?)^```$/gm)) blocks.set(name, body)
  return {
    text,
    block(name) {
      const body = blocks.get(name)
      if (body === undefined) throw new Error(`${path} has no block "${name}"`)
      return body.trim()
    },
    missingFiles() {
      const named = [...text.matchAll(/`((?:src|test|lab|scripts|migrations|docs|bin)\/[^`\s…*<]*)`/g)]
      const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      const folder = path.split('/').slice(0, -1).join('/')
      return [
        ...named.map(([, file = '']) => file),
        ...linked.map(([, file = '']) => `${folder === '' ? '' : `${folder}/`}${file}`),
      ].filter(file => !existsSync(inRoot(file)))
    },
  }
}
