import { fileURLToPath } from 'node:url'

/** The texts of the console that are the same whatever they are about. */
interface ConsoleTexts {
  /** Those that no place has in German, too. */
  readonly onlyEnglish: ReadonlySet<string>
  readonly german: ReadonlySet<string>
}

/** Reads the texts of the console; by name, because their types are compiled for a browser. */
export async function readConsoleTexts(): Promise<ConsoleTexts> {
  const read = (language: string): Promise<Readonly<Record<string, unknown>>> =>
    import(fileURLToPath(new URL(`../../console/src/translations/${language}.ts`, import.meta.url)))
  const [words, german] = [new Set<string>(), new Set<string>()]
  collect((await read('en')).english, words)
  collect((await read('de')).default, german)
  return { onlyEnglish: new Set([...words].filter(text => !german.has(text))), german }
}

function collect(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value)
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, texts)
}
