import type { Command } from 'commander'
import { examine } from './doctor/examine.ts'
import type { Finding, Verdict } from './doctor/finding.ts'

/** `tacho doctor`: what an operator would look at, and what to do about it. */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'look at machine, settings, ports, data folder and database, whether Tacho runs or not, and say what to do',
    )
    .option('--json', 'for machines')
    .addHelpText('after', '\nChanges nothing. Ends with 1 when something is broken, else with 0.')
    .action(async ({ json }: { json?: true }) => {
      const findings = await examine()
      const isBroken = findings.some(({ verdict }) => verdict === 'broken')
      console.log(json ? JSON.stringify({ ok: !isBroken, findings }, null, 2) : findings.map(lineOf).join('\n'))
      if (isBroken) process.exitCode = 1
    })
}

const WORDS: Readonly<Record<Verdict, string>> = { fine: 'fine', look: 'look at this', broken: 'broken' }
const WIDTH = Math.max(...Object.values(WORDS).map(word => word.length))

function lineOf({ check, verdict, says, advice }: Finding): string {
  return `${WORDS[verdict].padEnd(WIDTH)}  ${check}: ${says}${advice === undefined ? '' : ` ${advice}`}`
}
