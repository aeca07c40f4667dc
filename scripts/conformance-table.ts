// Writes docs/conformance.md: npx tsx scripts/conformance-table.ts
import { writeFileSync } from 'node:fs'
import { conformanceTable } from '../test/conformance/table.ts'

writeFileSync(new URL('../docs/conformance.md', import.meta.url), conformanceTable())
