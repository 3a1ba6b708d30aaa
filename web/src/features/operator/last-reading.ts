import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback } from "react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useUpdateText } from "#/domain/update-text";
import { useFormat } from "#/shared/format/use-format";

/** "4,804.1 hours · Nov 18, 2026" */
export function useLastReading(): (equipment: Equipment) => string {
  const format = useFormat();
  const text = useUpdateText();
  return useCallback(
    ({ currentUsage, unit, lastUpdated }) => {
      const reading = text.reading(currentUsage, unit);
      if (!lastUpdated) return reading;
      const date = format.instantDay(timestampDate(lastUpdated));
      return `${reading} · ${date}`;
    },
    [format, text],
  );
}
