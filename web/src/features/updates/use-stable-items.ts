import { equals, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { useState } from "react";

/**
 * Keeps the identity of unchanged items. Each response creates new objects, and hundreds of rows
 * would render again because of one change.
 */
export function useStableItems<Desc extends DescMessage>(
  schema: Desc,
  items: ReadonlyArray<MessageShape<Desc> & { id: string }>,
): ReadonlyArray<MessageShape<Desc> & { id: string }> {
  const [last, setLast] = useState({ items, stable: items });
  if (last.items !== items) {
    const previous = new Map(last.stable.map((item) => [item.id, item]));
    const stable = items.map((item) => {
      const same = previous.get(item.id);
      return same && equals(schema, same, item) ? same : item;
    });
    const unchanged =
      stable.length === last.stable.length &&
      stable.every((item, index) => item === last.stable[index]);
    setLast({ items, stable: unchanged ? last.stable : stable });
  }
  return last.stable;
}
