import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AddressLanguage } from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { countryName, LOCALITY_NAMES, localityName, readStateNames, type StateNameOf, suburbName } from './names.ts'
import { loadedOnce, type PlaceFile, readPlaceFile } from './place-file.ts'

export interface FoundPlace extends Position {
  readonly name: string
  /** What tells it from others of the name: state and country. */
  readonly within: string
  readonly kind: 'place' | 'suburb' | 'address'
}

/** So many are decoded in a few milliseconds; in between others get a turn. */
const PLACES_A_TURN = 5000

/** A place that is called just so goes before one a thousand times as large, one that begins so before one ten times. */
const WHOLE_NAME = 1000
const BEGINNING = 10

/** Finds places of GeoNames by a part of their names. */
export class PlaceSearch {
  readonly #places: PlaceFile
  readonly #stateNameOf: StateNameOf
  /** All names without accents in lower case, a line each, so that the engine's own search goes through them at once. */
  readonly #names: string
  /** Where the line of each name begins, and whose name it is. */
  readonly #starts: readonly number[]
  readonly #ids: readonly number[]

  private constructor(places: PlaceFile, stateNameOf: StateNameOf, lines: readonly (readonly [string, number])[]) {
    this.#places = places
    this.#stateNameOf = stateNameOf
    this.#names = `\n${lines.map(([name]) => name).join('\n')}\n`
    let start = 1
    this.#starts = lines.map(([name]) => (start += name.length + 1) - name.length - 1)
    this.#ids = lines.map(([, id]) => id)
  }

  /** Takes about half a second the first time, in slices, and 10 MB. */
  static readonly load = loadedOnce(async () => {
    const places = await readPlaceFile()
    const lines: [string, number][] = []
    for (let id = 0; id < places.count; id++) {
      const { name, country } = places.placeOf(id)
      const { en = name, de = name } = LOCALITY_NAMES.get(`${country} ${name}`) ?? {}
      for (const text of new Set([name, en, de].map(plain))) lines.push([text, id])
      if (id % PLACES_A_TURN === 0) await nextTurn()
    }
    return new PlaceSearch(places, await readStateNames(), lines)
  })

  /** Places with a word that begins so, the largest first. */
  find(text: string, language: AddressLanguage, most: number): FoundPlace[] {
    const wanted = plain(text)
    const scores = new Map<number, number>()
    // Where a keyboard has no umlauts.
    for (const written of new Set([wanted, wanted.replaceAll(/([aou])e/g, '$1')])) this.#score(written, scores)
    return [...scores]
      .sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || one - other)
      .slice(0, most)
      .map(([id]) => this.#found(id, language))
  }

  #score(wanted: string, scores: Map<number, number>): void {
    const names = this.#names
    if (wanted === '') return
    for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at + 1)) {
      const before = names[at - 1]
      if (before !== '\n' && before !== ' ') continue
      const id = this.#ids[this.#lineAt(at)] ?? 0
      const isWhole = names[at + wanted.length] === '\n'
      const closeness = before === ' ' ? 1 : isWhole ? WHOLE_NAME : BEGINNING
      scores.set(id, Math.max(scores.get(id) ?? 0, closeness * (this.#places.populationOf(id) + 1)))
    }
  }

  #lineAt(at: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  #found(id: number, language: AddressLanguage): FoundPlace {
    const place = this.#places.placeOf(id)
    const name = place.isSection ? suburbName(place, { name: '' }) : localityName(place, language)
    const state = this.#stateNameOf(place, language)
    const within = [state === name ? '' : state, countryName(place.country, language)].filter(Boolean).join(', ')
    return { name, within, kind: place.isSection ? 'suburb' : 'place', ...this.#places.positionOf(id) }
  }
}

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

/** Without accents, capitals and punctuation: "Saint-Étienne" and "saint etienne" are the same. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}|['’]/gu, '')
    .replaceAll(/[ßøłđæœı]/g, letter => LETTERS[letter] ?? letter)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
