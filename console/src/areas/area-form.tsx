import { Group, Input, NativeSelect, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import type { LonLat } from '../base-map/lon-lat.ts'
import { FormButtons } from '../dialog/dialog.tsx'
import { useUnsaved } from '../dialog/unsaved.tsx'
import { useTexts } from '../language/language.ts'
import { bodyOf, closedRings, type Draft, hasNewShape, isChanged, openRings, pointsText, readPoints } from './draft.ts'
import { rounded, type Shape, type ShapeType } from './shape.ts'

const TYPES: readonly ShapeType[] = ['polygon', 'circle', 'corridor']

interface AreaFormProps {
  readonly draft: Draft
  /** As it is stored, of one that is changed. */
  readonly area: Area | undefined
  readonly onDraft: (change: Partial<Draft>) => void
  readonly onType: (type: ShapeType) => void
  readonly onSaved: (area: Area) => void
  readonly onCancel: () => void
}

/** Name, kind, colour and shape of an area. */
export function AreaForm({ draft, area, onDraft, onType, onSaved, onCancel }: AreaFormProps) {
  const texts = useTexts('area')
  const body = bodyOf(draft, area)
  const { leave, question } = useUnsaved(isChanged(draft, area))
  useHotkeys([['Escape', () => leave(onCancel)]], [])
  const saved = useMutation({
    mutationFn: async () => {
      if (!body) return
      const reply =
        draft.id === undefined
          ? await ask('POST /cc/v2.0/areas', { body })
          : await ask('PUT /cc/v2.0/areas/{areaId}', { path: { areaId: draft.id }, body })
      onSaved(reply)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saved.mutate()
  }
  return (
    <form onSubmit={submit} aria-label={draft.name || texts.draw}>
      <Stack gap="sm" p="md">
        <Title order={2} fz="h4">
          {area?.name ?? texts.draw}
        </Title>
        {draft.id === undefined && (
          <SegmentedControl
            aria-label={texts.shape}
            value={draft.type}
            onChange={onType}
            data={TYPES.map(value => ({ value, label: texts.shapes[value] }))}
          />
        )}
        <Text fz="sm" c="dimmed" role="status">
          {draft.shape ? texts.changeHint : texts.drawHints[draft.type]}
        </Text>
        <TextInput
          label={texts.name}
          required
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={event => onDraft({ name: event.currentTarget.value })}
        />
        <Group grow gap="xs" align="flex-end">
          <NativeSelect
            label={texts.kind}
            value={draft.kind}
            data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
            onChange={event => {
              const kind = (Object.keys(texts.kinds) as Area['kind'][]).find(each => each === event.currentTarget.value)
              if (kind) onDraft({ kind })
            }}
          />
          <TextInput
            label={texts.color}
            type="color"
            value={draft.color}
            onChange={event => onDraft({ color: event.currentTarget.value })}
          />
        </Group>
        <ShapeFields
          key={`${draft.type} ${draft.mapChanges}`}
          type={draft.type}
          shape={draft.shape}
          onShape={shape => onDraft({ shape })}
        />
        {hasNewShape(draft, area) && (
          <Stack gap={4}>
            <Text fz="sm" fw={500}>
              {texts.validFrom}
            </Text>
            <SegmentedControl
              aria-label={texts.validFrom}
              value={draft.isForPast ? 'always' : 'fromNow'}
              onChange={value => onDraft({ isForPast: value === 'always' })}
              data={[
                { value: 'fromNow', label: texts.fromNow },
                { value: 'always', label: texts.always },
              ]}
            />
            {!draft.isForPast && (
              <Text fz="xs" c="dimmed">
                {texts.validFromHint}
              </Text>
            )}
          </Stack>
        )}
        <FormButtons
          error={saved.error}
          isPending={saved.isPending}
          onCancel={() => leave(onCancel)}
          isDisabled={!body}
        />
      </Stack>
      {question}
    </form>
  )
}

interface ShapeFieldsProps {
  readonly type: ShapeType
  readonly shape: Shape | undefined
  /** Called when what was typed is a shape. */
  readonly onShape: (shape: Shape) => void
}

/** A shape by its numbers, for who draws without a mouse, or has the coordinates. */
function ShapeFields({ type, shape, onShape }: ShapeFieldsProps) {
  if (type === 'circle') return <CircleFields shape={shape?.type === 'circle' ? shape : undefined} onShape={onShape} />
  if (type === 'corridor')
    return <CorridorFields shape={shape?.type === 'corridor' ? shape : undefined} onShape={onShape} />
  return <PolygonField shape={shape?.type === 'polygon' ? shape : undefined} onShape={onShape} />
}

interface FieldsOf<T extends ShapeType> {
  readonly shape: Extract<Shape, { type: T }> | undefined
  readonly onShape: (shape: Shape) => void
}

const USUAL_RADIUS_M = 150
const USUAL_HALF_WIDTH_M = 30

function CircleFields({ shape, onShape }: FieldsOf<'circle'>) {
  const texts = useTexts('area')
  const [typed, setTyped] = useState<Partial<Record<'latitude' | 'longitude' | 'radius', string>>>({})
  const fields = {
    latitude: shape ? String(shape.center[1]) : '',
    longitude: shape ? String(shape.center[0]) : '',
    radius: shape ? String(shape.radiusM) : String(USUAL_RADIUS_M),
    ...typed,
  }
  const field = (name: keyof typeof fields, min: number, max: number) => ({
    label: texts[name],
    type: 'number',
    step: 'any',
    min,
    max,
    required: true,
    value: fields[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      const changed = { ...fields, [name]: event.currentTarget.value }
      setTyped(changed)
      const [latitude, longitude, radiusM] = [changed.latitude, changed.longitude, changed.radius].map(numberIn)
      if (latitude === undefined || longitude === undefined || radiusM === undefined) return
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || radiusM < 1) return
      onShape({ type: 'circle', center: [rounded(longitude), rounded(latitude)], radiusM })
    },
  })
  return (
    <>
      <Group grow gap="xs">
        <TextInput {...field('latitude', -90, 90)} />
        <TextInput {...field('longitude', -180, 180)} />
      </Group>
      <TextInput {...field('radius', 1, 500_000)} />
    </>
  )
}

function CorridorFields({ shape, onShape }: FieldsOf<'corridor'>) {
  const texts = useTexts('area')
  const [typedWidth, setTypedWidth] = useState<string>()
  const halfWidthM = shape?.halfWidthM ?? USUAL_HALF_WIDTH_M
  return (
    <>
      <PointsField
        label={texts.line}
        hint={texts.lineHint}
        lines={shape ? [shape.line] : []}
        onLines={([line = []]) => {
          if (line.length >= 2) onShape({ type: 'corridor', line, halfWidthM: numberIn(typedWidth) ?? halfWidthM })
        }}
      />
      <TextInput
        label={texts.halfWidth}
        type="number"
        step="any"
        min={1}
        max={500_000}
        required
        value={typedWidth ?? String(halfWidthM)}
        onChange={event => {
          setTypedWidth(event.currentTarget.value)
          const metres = numberIn(event.currentTarget.value)
          if (shape && metres !== undefined && metres >= 1) onShape({ ...shape, halfWidthM: metres })
        }}
      />
    </>
  )
}

function PolygonField({ shape, onShape }: FieldsOf<'polygon'>) {
  const texts = useTexts('area')
  if (shape && shape.polygons.length > 1)
    return (
      <Text fz="sm" c="dimmed">
        {texts.manyParts}
      </Text>
    )
  return (
    <PointsField
      label={texts.points}
      hint={texts.pointsHint}
      lines={openRings(shape?.polygons[0] ?? [])}
      onLines={rings => {
        const isComplete = rings.length > 0 && rings.every(ring => ring.length >= 3)
        if (isComplete) onShape({ type: 'polygon', polygons: [closedRings(rings)] })
      }}
    />
  )
}

interface PointsFieldProps {
  readonly label: string
  readonly hint: string
  readonly lines: readonly (readonly LonLat[])[]
  readonly onLines: (lines: readonly (readonly LonLat[])[]) => void
}

function PointsField({ label, hint, lines, onLines }: PointsFieldProps) {
  const texts = useTexts('area')
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const read = typed === undefined ? undefined : readPoints(typed)
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={hint}
      error={read && 'wrongLine' in read ? texts.notAPoint(read.wrongLine) : undefined}
      required
    >
      <Input
        component="textarea"
        id={id}
        rows={6}
        required
        multiline
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, resize: 'vertical' } }}
        value={typed ?? pointsText(lines)}
        onChange={event => {
          setTyped(event.currentTarget.value)
          const now = readPoints(event.currentTarget.value)
          if ('lines' in now) onLines(now.lines)
        }}
      />
    </Input.Wrapper>
  )
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}
