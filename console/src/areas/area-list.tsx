import { Box, Button, Card, Group, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core'
import { IconMapPin, IconPencil, IconSearch } from '@tabler/icons-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { type Texts, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../states/empty-state.tsx'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { AreaFiles } from './area-files.tsx'

interface AreaListProps {
  readonly areas: readonly Area[]
  readonly chosen: Area | undefined
  readonly onChoose: (id: string | undefined) => void
  readonly onDraw: () => void
  readonly onChange: (area: Area) => void
  readonly onVisits: (area: Area) => void
  readonly onDeleted: (area: Area) => void
}

/** All areas, and what can be done with the chosen one. */
export function AreaList({ areas, chosen, onChoose, onDraw, onChange, onVisits, onDeleted }: AreaListProps) {
  const texts = useTexts('area')
  const maySeePositions = useMay('positions')
  const [search, setSearch] = useState('')
  const [isDeleting, setDeleting] = useState(false)
  const wanted = useDeferredValue(search).trim().toLocaleLowerCase()
  const shown = useMemo(
    () =>
      areas.filter(({ name, kind }) =>
        [name, texts.kinds[kind]].some(text => text.toLocaleLowerCase().includes(wanted)),
      ),
    [areas, wanted, texts],
  )
  const columns = useMemo(() => areaColumns(texts, chosen?.id, onChoose), [texts, chosen?.id, onChoose])
  return (
    <Stack gap="sm" p="md">
      <Group justify="space-between">
        <Title order={1} fz="h3">
          {texts.title}
        </Title>
        <Text c="dimmed" fz="sm" role="status">
          {texts.count(shown.length, areas.length)}
        </Text>
      </Group>
      <Group gap="xs" align="flex-start">
        <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={onDraw}>
          {texts.draw}
        </Button>
        <AreaFiles hasAreas={areas.length > 0} />
      </Group>
      {chosen && (
        <Card withBorder component="section" aria-label={chosen.name} p="sm">
          <Group gap="xs">
            <Swatch color={chosen.color} />
            <Text fw={600}>{chosen.name}</Text>
            <Text c="dimmed" fz="sm">
              {texts.kinds[chosen.kind]}
            </Text>
          </Group>
          <Group gap="xs" mt="xs">
            {maySeePositions && (
              <Button size="xs" onClick={() => onVisits(chosen)}>
                {texts.visits}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => onChange(chosen)}>
              {texts.change}
            </Button>
            <Button size="xs" variant="default" onClick={() => setDeleting(true)}>
              {texts.delete}
            </Button>
          </Group>
        </Card>
      )}
      {areas.length === 0 ? (
        <EmptyState icon={IconMapPin} title={texts.none} hint={texts.noneHint} />
      ) : (
        <>
          <TextInput
            type="search"
            aria-label={texts.search}
            placeholder={texts.search}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search}
            onChange={event => setSearch(event.currentTarget.value)}
          />
          {shown.length === 0 ? (
            <Text c="dimmed" fz="sm">
              {texts.noMatch}
            </Text>
          ) : (
            <DataTable
              label={texts.list}
              rows={shown}
              columns={columns}
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
  return (
    <Box
      component="span"
      aria-hidden
      w={14}
      h={14}
      style={{ backgroundColor: color, borderRadius: 7, display: 'inline-block', flexShrink: 0 }}
    />
  )
}
