import { ask } from '../api/request.ts'

/** What a file holds that is made here. */
export type ExportedFile = 'trips' | 'route' | 'measurements' | 'faults' | 'statistics' | 'visits' | 'incidents'

/** Notes an export in the security log of the account. The file exists already, so nothing depends on the reply. */
export function noteExport(file: ExportedFile): void {
  void ask('POST /exports', { body: { file } }).catch(() => undefined)
}
