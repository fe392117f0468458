// The deck: every card once in the order of the ids, Fisher-Yates with the CLR's own System.Random, drawn from the top.
using System;
using System.Collections.Generic;

public sealed class Deck
{
    private readonly Queue<Card> cards;

    public Deck(int seed)
    {
        var order = Card.Universe();
        Array.Sort(order, (a, b) => a.Id.CompareTo(b.Id));
        var random = new Random(seed);
        for (int i = order.Length - 1; i >= 1; i--)
        {
            int j = random.Next(i + 1);
            var moved = order[i];
            order[i] = order[j];
            order[j] = moved;
        }
        cards = new Queue<Card>(order);
    }

    public int CardsRemaining { get { return cards.Count; } }

    public IReadOnlyList<Card> Draw(int count)
    {
        var drawn = new Card[count];
        for (int i = 0; i < count; i++)
            drawn[i] = cards.Dequeue();
        return drawn;
    }

    public static int DailySeed(DateTime utcDate)
    {
        return utcDate.Year * 10000 + utcDate.Month * 100 + utcDate.Day;
    }
}
