import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { OperatorError } from '../errors.ts'

/**
 * Asks for a new password twice, without showing it.
 * @throws OperatorError when there is no terminal to ask on, the answers differ, or it is broken off.
 */
export async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) throw new OperatorError('A password is needed: give --password or --generate.')
  const password = await askSecret('Password: ')
  if ((await askSecret('Once more: ')) !== password) throw new OperatorError('These are two different passwords.')
  return password
}

function askSecret(prompt: string): Promise<string> {
  process.stderr.write(prompt)
  // The line editor works as usual and what it would show goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('close', () => {
      process.stderr.write('\n')
      reject(new OperatorError('Nothing was changed.'))
    })
    lines.once('SIGINT', () => lines.close())
    lines.once('line', () => lines.close())
  })
}
