//! Chance that can be repeated: the same seed draws the same.

/// Draws numbers (`SplitMix64`).
#[derive(Debug)]
pub struct Chance(u64);

impl Chance {
    /// From a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another one, which draws for itself.
    pub const fn fork(&mut self) -> Self {
        Self(self.draw())
    }

    /// 0 to `most`, both included.
    pub const fn up_to(&mut self, most: u64) -> u64 {
        self.draw() % (most + 1)
    }

    /// A place in something so long.
    pub fn place(&mut self, length: usize) -> usize {
        let most = u64::try_from(length).expect("a length") - 1;
        usize::try_from(self.up_to(most)).expect("a place")
    }

    /// True so many times in a hundred.
    pub const fn percent(&mut self, percent: u64) -> bool {
        self.up_to(99) < percent
    }

    /// Moves each item up to so many places.
    pub fn mix<T>(&mut self, items: &mut [T], reach: usize) {
        for some in items.chunks_mut(reach) {
            for place in (1..some.len()).rev() {
                some.swap(place, self.place(place + 1));
            }
        }
    }

    const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut drawn = self.0;
        drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        drawn ^ (drawn >> 31)
    }
}
