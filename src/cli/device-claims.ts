import type { Command } from 'commander'
import { type ListedClaim, listClaims } from '../fleet/provisioning/claims.ts'
import { minuteText, table } from '../lib/table.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parseName } from './arguments.ts'

interface ClaimOptions {
  readonly account?: string
  readonly json?: true
}

/** `tacho device claims`: dongles that accounts registered themselves, and refused attempts. */
export function registerClaims(device: Command): void {
  device
    .command('claims')
    .description('show what accounts registered themselves, what was given up again, and what was refused')
    .option('--account <name>', 'those of one account', parseName)
    .option('--json', 'as JSON')
    .action(claims)
}

async function claims({ account, json }: ClaimOptions): Promise<void> {
  const listed = await onServiceDatabase(database => listClaims(database, account))
  if (json) console.log(JSON.stringify(listed, undefined, 2))
  else console.log(table(['imei', 'account', 'claimed', 'state', 'since', 'the dongle'], listed.map(rowOf)))
}

function rowOf(claim: ListedClaim): string[] {
  const { imei, account, claimed, state, changed } = claim
  return [String(imei), account, minuteText(claimed), state, minuteText(changed), whose(claim)]
}

function whose({ account, ownedBy, handedOutTo }: ListedClaim): string {
  if (ownedBy !== null && ownedBy !== account) return `belongs to ${ownedBy}`
  if (handedOutTo !== null && handedOutTo !== account) return `was handed out to ${handedOutTo}`
  return handedOutTo === null ? 'was handed out to nobody' : ''
}
