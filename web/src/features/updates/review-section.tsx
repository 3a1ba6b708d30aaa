import type { ReactNode } from "react";
import { RecentUpdates } from "./recent/recent-updates";
import { WaitingCard } from "./waiting-card";

/**
 * The first waiting updates and the recent ones. Side by side if there is room; `below` is then
 * under the waiting updates, usually the shorter column.
 */
export function ReviewSection({ below }: { below?: ReactNode }) {
  return (
    <div className="@container">
      <div className="grid items-start gap-5 @min-[60rem]:grid-cols-[minmax(0,1.75fr)_minmax(0,1fr)] @min-[60rem]:grid-rows-[auto_1fr]">
        <WaitingCard />
        <div className="min-w-0 @min-[60rem]:row-span-2">
          <RecentUpdates />
        </div>
        {below}
      </div>
    </div>
  );
}
