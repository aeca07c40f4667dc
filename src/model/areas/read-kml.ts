import { kml as geoJsonOf } from '@tmcw/togeojson'
import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom'
import { badRequest } from '../errors.ts'

/**
 * The placemarks of a KML file as features of GeoJSON.
 * @throws ClientError 400 when it is not KML.
 */
export function featuresOfKml(text: string): readonly unknown[] {
  // KML needs none, and in one, a short text can stand for gigabytes.
  if (/<!DOCTYPE/i.test(text)) throw badRequest('The file is not KML: it has a document type.')
  try {
    const document = new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml')
    if (document.documentElement?.localName !== 'kml') throw new Error('it does not begin with <kml>')
    return geoJsonOf(document, { skipNullGeometry: true }).features
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw badRequest(`The file is not KML: ${reason.slice(0, 200)}.`)
  }
}
