import { Button, CloseButton, Group, Loader, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { reasonOf } from '../states/error-state.tsx'
import type { ExportedFile } from './note-export.ts'
import { type CsvSource, useCsvExport } from './use-csv-export.ts'

interface CsvExportButtonProps {
  readonly file: ExportedFile
  /** Called when the export begins. */
  readonly source: () => CsvSource
  readonly disabled?: boolean
}

/** Exports a list as CSV, says how far it is, and can be stopped. */
export function CsvExportButton({ file, source, disabled = false }: CsvExportButtonProps) {
  const texts = useTexts('export')
  const states = useTexts('pageState')
  const language = useLanguage()
  const { rows, error, start, cancel } = useCsvExport(file)
  if (rows !== undefined)
    return (
      <Group gap="xs" wrap="nowrap" h={36}>
        <Loader size="xs" />
        <Text fz="sm" role="status">
          {texts.rows(formatNumber(rows, language))}
        </Text>
        <CloseButton size="sm" aria-label={texts.cancel} onClick={cancel} />
      </Group>
    )
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        disabled={disabled}
        onClick={() => start(source())}
      >
        {texts.exportCsv}
      </Button>
      {error && (
        <Text fz="sm" c="red" role="alert">
          {`${texts.failed} ${reasonOf(error, states)}`}
        </Text>
      )}
    </Group>
  )
}
