import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import LABELS from '../src/catalogue/dtc-labels.json' with { type: 'json' }

const REFERENCES = { en: '../shared/data/dtc/dtc_generic_en.tsv.gz', de: '../shared/data/dtc/dtc_generic_de.tsv.gz' }

/** Codes of the powertrain and the network; of brakes and restraints the reference mixes several editions. */
const COMPARED = /^[PU]/

function referenceLabels(file: string): Map<string, string> {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n').slice(1)
  return new Map(
    lines
      .map(line => line.split('\t'))
      .flatMap(([code = '', label = '']) => (COMPARED.test(code) && label !== '' ? [[code, label] as const] : [])),
  )
}

/** Words by their first six letters, so that forms of a word and parts of German compounds count as the same. */
function stems(label: string): string[] {
  return label
    .toLowerCase()
    .split(/[^a-zäöüß0-9]+/)
    .filter(word => word.length > 2)
    .map(word => word.slice(0, 6))
}

/** The share of the reference's words that our label has too. */
function agreement(reference: string, ours: string): number {
  const wanted = stems(reference)
  const text = ours.toLowerCase()
  return wanted.filter(stem => text.includes(stem)).length / Math.max(1, wanted.length)
}

describe.skipIf(!existsSync(REFERENCES.en))(
  'our labels beside another list of codes (skipped where there is no ../shared/data/dtc)',
  () => {
    test.each([
      ['en', 0, 0.9],
      ['de', 1, 0.5],
    ] as const)('in %s they say mostly the same words', (language, index, least) => {
      const reference = referenceLabels(REFERENCES[language])
      const agreements = Object.entries(LABELS).flatMap(([code, label]) => {
        const other = reference.get(code)
        return other === undefined ? [] : [agreement(other, label[index] ?? '')]
      })
      const mean = agreements.reduce((sum, item) => sum + item, 0) / agreements.length
      console.log(
        `${language}: ${agreements.length} of ${reference.size} codes have a precise label; ${mean.toFixed(3)} of the words agree`,
      )
      expect(agreements.length).toBeGreaterThan(2000)
      expect(mean).toBeGreaterThan(least)
    })
  },
)
