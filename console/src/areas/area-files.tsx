import { Alert, Button, FileButton, Stack, Text } from '@mantine/core'
import { IconFileExport } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ask, send } from '../api/request.ts'
import { Menu, MenuItem } from '../dialog/menu.tsx'
import { saveFile } from '../export/save-file.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-state.tsx'
import { areasQuery } from './areas-query.ts'

/** What points and lines get that a file says nothing about. */
const SIZES = { radiusM: 100, halfWidthM: 25 }

/** Areas from files, and as files. */
export function AreaFiles({ hasAreas }: { readonly hasAreas: boolean }) {
  const texts = useTexts('area')
  const client = useQueryClient()
  const open = useRef<() => void>(undefined)
  const imported = useMutation({
    mutationFn: async (file: File) => {
      const body = { file: await base64Of(file), ...SIZES }
      const reply = await ask('POST /cc/v2.0/areas/import', { body })
      await client.invalidateQueries({ queryKey: areasQuery.queryKey })
      return reply
    },
  })
  const exported = useMutation({
    mutationFn: async (format: 'geojson' | 'kml') => {
      const response = await send('GET', `/cc/v2.0/areas/export?format=${format}`)
      saveFile(`areas.${format}`, response.headers.get('content-type') ?? '', [await response.text()])
    },
  })
  return (
    <Stack gap="xs">
      <FileButton accept=".geojson,.json,.kml,.kmz" onChange={file => file && imported.mutate(file)}>
        {({ onClick }) => {
          open.current = onClick
          return (
            <Menu
              renderTarget={opener => (
                <Button
                  variant="default"
                  leftSection={<IconFileExport size={16} aria-hidden />}
                  loading={imported.isPending || exported.isPending}
                  {...opener}
                >
                  {texts.more}
                </Button>
              )}
            >
              <MenuItem onClick={() => open.current?.()}>{texts.importFile}</MenuItem>
              <MenuItem disabled={!hasAreas} onClick={() => exported.mutate('geojson')}>
                {texts.exportGeoJson}
              </MenuItem>
              <MenuItem disabled={!hasAreas} onClick={() => exported.mutate('kml')}>
                {texts.exportKml}
              </MenuItem>
            </Menu>
          )
        }}
      </FileButton>
      <ErrorAlert error={imported.error ?? exported.error} />
      {imported.data !== undefined && (
        <Alert color="teal" role="status">
          {texts.imported(imported.data.areaIds.length)}
          <Text fz="xs">{texts.importSizeHint}</Text>
          {imported.data.passedOverCount > 0 && (
            <Text fz="xs" style={{ whiteSpace: 'pre-line' }}>
              {[texts.passedOver(imported.data.passedOverCount), ...imported.data.passedOver.slice(0, 10)].join('\n')}
            </Text>
          )}
        </Alert>
      )}
    </Stack>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
}
