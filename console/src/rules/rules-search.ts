import { readText } from '../table/column.ts'

/** What the address of the page says, so that a link shows the same. */
interface RulesSearch {
  /** The rule whose dialog is open. */
  readonly rule?: string
  /** The kind with which the dialog of a new rule is open; true for the usual one. */
  readonly new?: string | true
  /** Id of an area that a new rule is about. */
  readonly area?: string
  /** What the rows must show. */
  readonly search?: string
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readRulesSearch(given: Readonly<Record<string, unknown>>): RulesSearch {
  return {
    rule: readText(given.rule),
    new: given.new === true ? true : readText(given.new),
    area: readText(given.area),
    search: readText(given.search),
    sort: readText(given.sort),
  }
}
