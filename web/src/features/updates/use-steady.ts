import { equals, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { useState } from "react";

/**
 * Keeps the identity of unchanged items. Each response creates new objects, and hundreds of rows
 * would render again because of one change.
 */
export function useSteady<Desc extends DescMessage>(
  schema: Desc,
  items: ReadonlyArray<MessageShape<Desc> & { id: string }>,
): ReadonlyArray<MessageShape<Desc> & { id: string }> {
  const [last, setLast] = useState({ items, steady: items });
  if (last.items !== items) {
    const known = new Map(last.steady.map((item) => [item.id, item]));
    const steady = items.map((item) => {
      const same = known.get(item.id);
      return same && equals(schema, same, item) ? same : item;
    });
    const unchanged =
      steady.length === last.steady.length &&
      steady.every((item, index) => item === last.steady[index]);
    setLast({ items, steady: unchanged ? last.steady : steady });
  }
  return last.steady;
}
