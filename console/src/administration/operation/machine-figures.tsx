import type { Operation } from '../../api/schema.ts'
import { Figure, Figures } from '../../figures/figure.tsx'
import { formatBytes, formatDuration, formatNumber, formatQuantity } from '../../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../../language/language.ts'

/** Below this, all that waits is on its way. */
const AT_ONCE_S = 2

/** The figures of the machine, or of what concerns the account alone. */
export function MachineFigures({ operation: { machine, pendingSamples } }: { readonly operation: Operation }) {
  const texts = useTexts('operation')
  const language = useLanguage()
  const waiting = (machine?.pending ?? []).reduce((sum, { samples }) => sum + samples, 0)
  return (
    <Figures>
      {machine && <DiskFigures machine={machine} />}
      {machine && <BackupFigures backup={machine.backup} />}
      <Figure label={texts.queue}>{texts.samples(formatNumber(machine ? waiting : pendingSamples, language))}</Figure>
      {machine && (
        <>
          <Figure label={texts.underived}>{underivedText(machine.underivedSeconds, texts)}</Figure>
          <Figure label={texts.clock}>{clockText(machine.clockDifferenceSeconds, texts, language)}</Figure>
        </>
      )}
    </Figures>
  )
}

type Machine = NonNullable<Operation['machine']>

function DiskFigures({ machine: { disk, databaseBytes } }: { readonly machine: Machine }) {
  const texts = useTexts('operation')
  const language = useLanguage()
  return (
    <>
      <Figure label={texts.diskFree}>
        {disk
          ? texts.diskFreeOf(formatBytes(disk.freeBytes, language), formatBytes(disk.sizeBytes, language))
          : texts.elsewhere}
      </Figure>
      {disk && (
        <Figure label={texts.daysLeft}>
          {disk.daysLeft === null ? texts.notFilling : texts.days(formatNumber(disk.daysLeft, language, 0))}
        </Figure>
      )}
      <Figure label={texts.databaseSize}>
        {databaseBytes === null ? texts.unknown : formatBytes(databaseBytes, language)}
      </Figure>
    </>
  )
}

function BackupFigures({ backup }: Pick<Machine, 'backup'>) {
  const texts = useTexts('operation')
  if (!backup) return <Figure label={texts.backupAge}>{texts.noneMade}</Figure>
  const { ageSeconds, logLagSeconds } = backup
  return (
    <>
      <Figure label={texts.backupAge}>
        {ageSeconds === null ? texts.notYet : texts.old(formatDuration(ageSeconds))}
      </Figure>
      <Figure label={texts.notInBackup}>
        {logLagSeconds === null ? texts.unknown : formatDuration(logLagSeconds)}
      </Figure>
    </>
  )
}

function underivedText(seconds: number | null, texts: Texts<'operation'>): string {
  if (seconds === null) return texts.unknown
  return seconds < AT_ONCE_S ? texts.nothingWaits : formatDuration(seconds)
}

function clockText(seconds: number | null, texts: Texts<'operation'>, language: Language): string {
  return seconds === null ? texts.unknown : formatQuantity(Math.abs(seconds), 's', language, 2)
}
