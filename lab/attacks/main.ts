import type { Attack } from './attack.ts'
import {
  ATTACKS,
  type AttackReport,
  type AttackWorld,
  attackNotes,
  attackTable,
  runAttack,
  startAttackWorld,
} from './run-attack.ts'

/* Every attack, or those that are named, in full: each takes about a minute. With `--small` as the tests run them. */
const names = process.argv.slice(2).filter(argument => argument !== '--small')
const size = process.argv.includes('--small') ? 'small' : 'full'
const unknown = names.filter(name => !ATTACKS.some(attack => attack.name === name))
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}. There are ${ATTACKS.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}

const reports: AttackReport[] = []
let stopProblem: unknown
for (const attack of ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const report = await onServiceOfItsOwn(attack)
  reports.push(report)
  console.log(attackNotes(report))
}
console.log(`\n${attackTable(reports)}`)
process.exitCode = reports.every(({ broken }) => broken.length === 0) && stopProblem === undefined ? 0 : 1

/** An attack must not find what the one before left. */
async function onServiceOfItsOwn(attack: Attack): Promise<AttackReport> {
  const world = await startAttackWorld({ environment: attack.environment })
  try {
    return await runAttack(world, attack, size)
  } finally {
    await stopped(world)
  }
}

/** One that has to be killed is a finding, too. */
async function stopped(world: AttackWorld): Promise<void> {
  try {
    await world.stop()
  } catch (error) {
    stopProblem = error
    console.error(error instanceof Error ? error.message : error)
  }
}
