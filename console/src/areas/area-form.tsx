import { Group, Input, SegmentedControl, Select, Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { FormButtons, useUnsaved } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import { bodyOf, type Draft, hasNewShape, isChanged, pointsText, readPoints, shapeOfText } from './draft.ts'
import { type Shape, type ShapeType, USUAL_HALF_WIDTH_M, USUAL_RADIUS_M } from './shape.ts'

const TYPES: readonly ShapeType[] = ['polygon', 'circle', 'corridor']

interface AreaFormProps {
  readonly draft: Draft
  /** As it is stored, of one that is changed. */
  readonly area: Area | undefined
  readonly onDraft: (change: Partial<Draft>) => void
  readonly onSaved: (area: Area) => void
  readonly onCancel: () => void
}

/** Name, kind, colour and shape of an area. */
export function AreaForm({ draft, area, onDraft, onSaved, onCancel }: AreaFormProps) {
  const texts = useTexts('area')
  const body = bodyOf(draft, area)
  const { leave, saved, question } = useUnsaved(isChanged(draft, area))
  useHotkeys([['Escape', () => leave(onCancel)]], [])
  const sent = useMutation({
    mutationFn: async () => {
      if (!body) return
      const reply = area
        ? await ask('PUT /cc/v2.0/areas/{areaId}', { path: { areaId: area.id }, body })
        : await ask('POST /cc/v2.0/areas', { body })
      saved()
      onSaved(reply)
    },
  })
  return (
    <form
      aria-label={draft.name || texts.draw}
      onSubmit={event => {
        event.preventDefault()
        sent.mutate()
      }}
    >
      <Stack gap="sm" p="md">
        <Title order={2} fz="h4">
          {area?.name ?? texts.draw}
        </Title>
        {!area && (
          <SegmentedControl
            aria-label={texts.shape}
            value={draft.type}
            onChange={type => onDraft({ type, shape: undefined, isBegun: false })}
            data={TYPES.map(value => ({ value, label: texts.shapes[value] }))}
          />
        )}
        <Hint role="status">{draft.shape || area ? texts.changeHint : texts.drawHints[draft.type]}</Hint>
        <TextInput
          label={texts.name}
          required
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={event => onDraft({ name: event.currentTarget.value })}
        />
        <Group grow gap="xs" align="flex-end">
          <Select
            label={texts.kind}
            value={draft.kind}
            data={(Object.keys(texts.kinds) as Area['kind'][]).map(value => ({ value, label: texts.kinds[value] }))}
            allowDeselect={false}
            onChange={kind => kind && onDraft({ kind })}
          />
          <TextInput
            label={texts.color}
            type="color"
            value={draft.color}
            onChange={event => onDraft({ color: event.currentTarget.value })}
          />
        </Group>
        <ShapeFields key={draft.type} type={draft.type} shape={draft.shape} onShape={shape => onDraft({ shape })} />
        {hasNewShape(draft, area) && (
          <Input.Wrapper
            label={texts.validFrom}
            labelElement="div"
            description={draft.isForPast ? undefined : texts.validFromHint}
            inputWrapperOrder={['label', 'input', 'description']}
          >
            <SegmentedControl
              fullWidth
              aria-label={texts.validFrom}
              value={draft.isForPast ? 'always' : 'fromNow'}
              onChange={value => onDraft({ isForPast: value === 'always' })}
              data={(['fromNow', 'always'] as const).map(value => ({ value, label: texts[value] }))}
            />
          </Input.Wrapper>
        )}
        <FormButtons
          error={sent.error}
          isPending={sent.isPending}
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
  /** Called with what was typed; undefined where that is no shape. */
  readonly onShape: (shape: Shape | undefined) => void
}

/** A shape by its numbers, for who draws without a mouse, or has the coordinates. */
function ShapeFields({ type, shape, onShape }: ShapeFieldsProps) {
  const texts = useTexts('area')
  const [typed, setTyped] = useState<{ readonly points: string; readonly metres: string; readonly shape?: Shape }>()
  // What was typed is out of date when the map has changed the shape.
  const isTyped = typed !== undefined && typed.shape === shape
  const shown = isTyped ? typed : { points: pointsText(shape), metres: String(metresOf(type, shape)) }
  const { points, metres } = shown
  const change = (changed: Partial<typeof shown>) => {
    const now = { points, metres, ...changed }
    const made = shapeOfText(type, now.points, Number(now.metres))
    setTyped({ ...now, ...(made && { shape: made }) })
    onShape(made)
  }
  const read = readPoints(points)
  if (shape?.type === 'polygon' && shape.polygons.length > 1) return <Hint>{texts.manyParts}</Hint>
  return (
    <>
      <Textarea
        label={texts.points[type]}
        description={texts.pointsHints[type]}
        error={'wrongLine' in read && texts.notAPoint(read.wrongLine)}
        rows={type === 'circle' ? 1 : 6}
        resize="vertical"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        required
        value={points}
        onChange={event => change({ points: event.currentTarget.value })}
      />
      {type !== 'polygon' && (
        <TextInput
          label={texts.metres[type]}
          type="number"
          step="any"
          min={1}
          max={500_000}
          required
          value={metres}
          onChange={event => change({ metres: event.currentTarget.value })}
        />
      )}
    </>
  )
}

function metresOf(type: ShapeType, shape: Shape | undefined): number {
  if (shape?.type === 'circle') return shape.radiusM
  if (shape?.type === 'corridor') return shape.halfWidthM
  return type === 'circle' ? USUAL_RADIUS_M : USUAL_HALF_WIDTH_M
}
