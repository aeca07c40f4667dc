import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const SOURCES = fileURLToPath(new URL('../../console/src/', import.meta.url))

/** The texts of the console that are the same whatever they are about. */
interface ConsoleTexts {
  /** Those that no place has in German, too. */
  readonly onlyEnglish: ReadonlySet<string>
  readonly german: ReadonlySet<string>
}

/** Reads every file of texts of the console. */
export async function readConsoleTexts(): Promise<ConsoleTexts> {
  const [english, german] = [new Set<string>(), new Set<string>()]
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    const path = join(SOURCES, name)
    if (!name.endsWith('.ts') || !/= defineTexts[(<]/.test(readFileSync(path, 'utf8'))) continue
    const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
    for (const texts of Object.values(module)) if (isTexts(texts)) collect(texts.en, english)
  }
  const translation = (await import(pathToFileURL(join(SOURCES, 'translations/de.ts')).href)) as { default: unknown }
  collect(translation.default, german)
  return { onlyEnglish: new Set([...english].filter(text => !german.has(text))), german }
}

function isTexts(value: unknown): value is { readonly place: unknown; readonly en: unknown } {
  return typeof value === 'object' && value !== null && 'place' in value && 'en' in value
}

function collect(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value)
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, texts)
}
