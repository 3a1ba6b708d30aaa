import type { ReactNode } from "react";
import { rowsOf, useEquipmentById, usePendingUpdates, useRecentUpdates } from "./queries";
import { RecentUpdates } from "./recent-updates";
import { ReviewQueue } from "./review-queue";
import { useReview } from "./use-review";

/**
 * What operators sent: the queue that waits for the manager, and what took effect; side by side
 * where there is room, then with `below` under the queue, which is mostly the shorter one.
 */
export function ReviewSection({ below }: { below?: ReactNode }) {
  const shown = [...rowsOf(usePendingUpdates()), ...rowsOf(useRecentUpdates())];
  const equipment = useEquipmentById(shown);
  const review = useReview();
  return (
    <div className="@container">
      <div className="grid items-start gap-5 @min-[60rem]:grid-cols-[minmax(0,1.75fr)_minmax(0,1fr)] @min-[60rem]:grid-rows-[auto_1fr]">
        <ReviewQueue equipment={equipment} review={review} />
        <div className="min-w-0 @min-[60rem]:row-span-2">
          <RecentUpdates equipment={equipment} review={review} />
        </div>
        {below}
      </div>
    </div>
  );
}
