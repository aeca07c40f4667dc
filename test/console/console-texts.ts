import translation from '../../console/src/translations/de.ts'
import { english } from '../../console/src/translations/en.ts'

/** The texts of the console that are the same whatever they are about. */
interface ConsoleTexts {
  /** Those that no place has in German, too. */
  readonly onlyEnglish: ReadonlySet<string>
  readonly german: ReadonlySet<string>
}

/** Reads the texts of the console. */
export function readConsoleTexts(): ConsoleTexts {
  const [words, german] = [new Set<string>(), new Set<string>()]
  collect(english, words)
  collect(translation, german)
  return { onlyEnglish: new Set([...words].filter(text => !german.has(text))), german }
}

function collect(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value)
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, texts)
}
