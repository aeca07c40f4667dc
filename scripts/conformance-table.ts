// Writes test/conformance/README.md: npx tsx scripts/conformance-table.ts
import { writeFileSync } from 'node:fs'
import { conformanceTable } from '../test/conformance/table.ts'

writeFileSync(new URL('../test/conformance/README.md', import.meta.url), conformanceTable())
