import { createHash } from 'node:crypto'
import type { Base, BaseFile } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { Damaged, readPiece } from './pieces.ts'
import { segmentAt, segmentBefore, segmentName } from './segments.ts'
import { listSegments, readSegment } from './wal-line.ts'

/**
 * Reads a base backup back: every piece, whether the files have the checksums that PostgreSQL computed itself, and the
 * write-ahead log that it needs.
 * @param onProgress bytes of the database that were read
 * @throws Damaged naming the file.
 */
export async function checkBase(
  folder: BackupFolder,
  base: Base,
  onProgress: (doneBytes: number) => void = () => undefined,
): Promise<void> {
  let doneBytes = 0
  for (const file of base.files)
    for await (const content of readBaseFile(folder, file)) {
      doneBytes += content.length
      onProgress(doneBytes)
    }
  const segments = new Map((await listSegments(folder, base.line)).map(item => [item.segment, item]))
  for (let segment = segmentAt(base.startLsn); segment <= segmentBefore(base.stopLsn); segment++) {
    const found = segments.get(segment)
    if (!found) throw new Damaged(`${folder.wal}/${base.line}/${segmentName(base.timeline, segment)}`, 'is missing')
    await readSegment(found)
  }
}

/** The content of a file, piece by piece. @throws Damaged naming what is damaged, at the end at the latest. */
export async function* readBaseFile(folder: BackupFolder, file: BaseFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for (const piece of file.pieces) {
    const content = await readPiece(folder, piece)
    hash.update(content)
    yield content
  }
  if (hash.digest('hex') !== file.sha256) throw new Damaged(file.path, 'is not as PostgreSQL read it')
}
