import { useEquipmentById } from "./queries";
import { RecentUpdates } from "./recent-updates";
import { ReviewQueue } from "./review-queue";
import { useReview } from "./use-review";

/** What operators sent: the queue that waits for the manager, and what took effect: side by side where there is room. */
export function ReviewSection() {
  const equipment = useEquipmentById();
  const review = useReview();
  return (
    <div className="@container">
      <div className="grid items-start gap-5 @min-[60rem]:grid-cols-[minmax(0,1.75fr)_minmax(0,1fr)]">
        <ReviewQueue equipment={equipment} review={review} />
        <RecentUpdates equipment={equipment} review={review} />
      </div>
    </div>
  );
}
