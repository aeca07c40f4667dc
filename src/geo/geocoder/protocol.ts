import type { AddressLanguage, AddressParts } from '../../derive/addresses/texts.ts'
import type { Position } from '../../model/sample.ts'

/** How a kind of geocoding server is asked for the address of a position, and what it answers. */
export interface ReverseProtocol {
  /** The parameters of GET /reverse. */
  parameters(position: Position, language: AddressLanguage): Readonly<Record<string, string>>
  /**
   * @param body the answer, parsed from JSON and not checked
   * @returns undefined when the server says that there is no address
   * @throws UnreadableAnswer when it is no answer of such a server
   */
  readAnswer(body: unknown): AddressParts | undefined
}

/** What came is not what such a server answers. */
export class UnreadableAnswer extends Error {
  constructor(expected: string) {
    super(`the answer is not ${expected}`)
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value of an answer has fields. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Longer than any name of a place; a server must not fill the database. */
const LONGEST_TEXT = 200

/** The first of these fields that has a text. */
export function firstText(fields: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, LONGEST_TEXT)
  }
  return undefined
}

/** An address without the parts that are not known. */
export function partsOf(parts: Readonly<Record<keyof AddressParts, string | undefined>>): AddressParts {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined))
}
