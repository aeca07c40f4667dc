import { Alert, Box, Button, Card, FileButton, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { IconFileExport, IconMapPin, IconPencil } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ask, send } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { Menu, MenuItem } from '../dialog/menu.tsx'
import { saveFile } from '../export/files.ts'
import { type Texts, useTexts } from '../language/language.ts'
import { EmptyState, ErrorAlert, Hint } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { SearchField } from '../table/filters.tsx'
import { areasQuery } from './areas-query.ts'

interface AreaListProps {
  readonly areas: readonly Area[]
  readonly chosen: Area | undefined
  readonly onChoose: (id: string | undefined) => void
  /** Called with the one to be changed, or undefined for a new one. */
  readonly onDraft: (area: Area | undefined) => void
  readonly onVisits: (area: Area) => void
  readonly onDeleted: (area: Area) => void
}

/** All areas, and what can be done with the chosen one. */
export function AreaList({ areas, chosen, onChoose, onDraft, onVisits, onDeleted }: AreaListProps) {
  const texts = useTexts('area')
  const maySeePositions = useMay('positions')
  const mayChangeRules = useMay('rules')
  const [search, setSearch] = useState('')
  const [isDeleting, setDeleting] = useState(false)
  const wanted = search.trim().toLocaleLowerCase()
  const shown = areas.filter(({ name, kind }) =>
    [name, texts.kinds[kind]].some(text => text.toLocaleLowerCase().includes(wanted)),
  )
  return (
    <Stack gap="sm" p="md">
      <Group justify="space-between">
        <Title order={1} fz="h3">
          {texts.title}
        </Title>
        <Hint role="status">{texts.count(shown.length, areas.length)}</Hint>
      </Group>
      <Group gap="xs" align="flex-start">
        <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onDraft(undefined)}>
          {texts.draw}
        </Button>
        <AreaFiles hasAreas={areas.length > 0} />
      </Group>
      {chosen && (
        <Card withBorder component="section" aria-label={chosen.name} p="sm">
          <Group gap="xs">
            <Swatch color={chosen.color} />
            <Text fw={600}>{chosen.name}</Text>
            <Hint>{texts.kinds[chosen.kind]}</Hint>
          </Group>
          <Group gap="xs" mt="xs">
            {maySeePositions && (
              <Button size="compact-sm" onClick={() => onVisits(chosen)}>
                {texts.visits}
              </Button>
            )}
            {mayChangeRules && (
              <Button
                size="compact-sm"
                variant="default"
                renderRoot={props => <Link {...props} to="/rules" search={{ new: 'AREA_ENTERED', area: chosen.id }} />}
              >
                {texts.watch}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => onDraft(chosen)}>
              {texts.change}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setDeleting(true)}>
              {texts.delete}
            </Button>
          </Group>
        </Card>
      )}
      {areas.length === 0 ? (
        <EmptyState icon={IconMapPin} title={texts.none} hint={texts.noneHint} />
      ) : (
        <>
          <SearchField label={texts.search} value={search} onChange={setSearch} type="search" />
          {shown.length === 0 ? (
            <Hint>{texts.noMatch}</Hint>
          ) : (
            <DataTable
              label={texts.list}
              rows={shown}
              columns={areaColumns(texts, chosen?.id, onChoose)}
              keyOf={area => area.id}
              firstOrdering={{ columnId: 'name', isDescending: false }}
              height="55dvh"
            />
          )}
        </>
      )}
      {isDeleting && chosen && (
        <ConfirmDialog
          title={texts.deleteTitle(chosen.name)}
          hint={texts.deleteHint}
          action={texts.delete}
          onConfirm={async () => {
            await ask('DELETE /cc/v2.0/areas/{areaId}', { path: { areaId: chosen.id } })
            onDeleted(chosen)
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </Stack>
  )
}

function areaColumns(
  texts: Texts<'area'>,
  chosenId: string | undefined,
  onChoose: (id: string) => void,
): readonly Column<Area>[] {
  return [
    {
      id: 'name',
      title: texts.name,
      order: area => area.name,
      cell: area => (
        <UnstyledButton
          fz="sm"
          display="block"
          w="100%"
          fw={area.id === chosenId ? 700 : undefined}
          aria-pressed={area.id === chosenId}
          onClick={() => onChoose(area.id)}
        >
          <Group gap="xs" wrap="nowrap">
            <Swatch color={area.color} />
            <Text span fz="sm" inherit truncate maw={180}>
              {area.name}
            </Text>
          </Group>
        </UnstyledButton>
      ),
    },
    { id: 'kind', title: texts.kind, order: area => texts.kinds[area.kind], cell: area => texts.kinds[area.kind] },
  ]
}

function Swatch({ color }: { readonly color: string }) {
  return <Box component="span" aria-hidden w={14} h={14} bg={color} bdrs="xl" flex="none" />
}

/** What points and lines get that a file says nothing about. */
const SIZES = { radiusM: 100, halfWidthM: 25 }

/** Areas from files, and as files. */
function AreaFiles({ hasAreas }: { readonly hasAreas: boolean }) {
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
