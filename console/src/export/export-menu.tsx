import { Button, CloseButton, Group, Loader, Text } from '@mantine/core'
import { IconChevronDown, IconDownload, IconFileSpreadsheet, IconFileTypeCsv } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Operations } from '../api/schema.ts'
import { Menu, MenuItem } from '../dialog/menu.tsx'
import { formatNumber, useLanguage, useTexts } from '../language/language.ts'
import { reasonOf } from '../page/page.tsx'
import { CSV_BEGIN, CSV_TYPE, csvOf, type ExportRows, type ExportSource, saveFile } from './files.ts'
import { XLSX_TYPE, xlsxOf } from './xlsx.ts'

/** What a file holds that is made here. */
type ExportedFile = NonNullable<Operations['POST /exports']['body']>['file']

/** Notes an export in the security log of the account. The file exists already, so nothing depends on the reply. */
export function noteExport(file: ExportedFile): void {
  void ask('POST /exports', { body: { file } }).catch(() => undefined)
}

const FORMATS = [
  { format: 'csv', Symbol: IconFileTypeCsv },
  { format: 'xlsx', Symbol: IconFileSpreadsheet },
] as const
type Format = (typeof FORMATS)[number]['format']

interface ExportMenuProps {
  readonly file: ExportedFile
  /** Called when the export begins. */
  readonly source: () => ExportSource
  readonly disabled?: boolean
}

/** Exports a list in a format that is chosen, says how far it is, and can be stopped. */
export function ExportMenu({ file, source, disabled = false }: ExportMenuProps) {
  const texts = useTexts('export')
  const states = useTexts('pageState')
  const language = useLanguage()
  const [count, setCount] = useState(0)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const exported = useMutation({
    mutationFn: async (format: Format) => {
      const { signal } = (running.current = new AbortController())
      setCount(0)
      const { fileName, titles, pages } = source()
      // Of CSV only the text is held; a workbook is made in one piece.
      const parts: BlobPart[] = []
      const rows: ExportRows[number][] = []
      for await (const page of pages(signal)) {
        if (format === 'csv') parts.push(csvOf(page, language))
        else rows.push(...page)
        signal.throwIfAborted()
        setCount(before => before + page.length)
      }
      if (format === 'csv') parts.unshift(CSV_BEGIN, csvOf([titles], language))
      else parts.push(await xlsxOf(titles, rows))
      signal.throwIfAborted()
      saveFile(`${fileName}.${format}`, format === 'csv' ? CSV_TYPE : XLSX_TYPE, parts)
      noteExport(file)
    },
  })
  const { error } = exported

  if (exported.isPending)
    return (
      <Group gap="xs" wrap="nowrap" h={36}>
        <Loader size="xs" />
        <Text fz="sm" role="status">
          {texts.rows(formatNumber(count))}
        </Text>
        <CloseButton
          size="sm"
          aria-label={texts.cancel}
          onClick={() => {
            running.current?.abort()
            exported.reset()
          }}
        />
      </Group>
    )
  return (
    <Group gap="xs">
      <Menu
        renderTarget={opener => (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            disabled={disabled}
            {...opener}
          >
            {texts.export}
          </Button>
        )}
      >
        {FORMATS.map(({ format, Symbol }) => (
          <MenuItem key={format} leftSection={<Symbol size={16} aria-hidden />} onClick={() => exported.mutate(format)}>
            {texts.formats[format]}
          </MenuItem>
        ))}
      </Menu>
      {error && (
        <Text fz="sm" c="red" role="alert">
          {`${texts.failed} ${reasonOf(error, states)}`}
        </Text>
      )}
    </Group>
  )
}
