// The cards as the card model describes them: four enums, one immutable value, one id.
using System;

public enum Number { One = 1, Two = 2, Three = 3 }
public enum Shape { Diamond = 0, Squiggle = 1, Oval = 2 }
public enum Color { Red = 0, Green = 1, Purple = 2 }
public enum Shading { Solid = 0, Striped = 1, Open = 2 }

public struct CardAttributes
{
    public readonly Number Number;
    public readonly Shape Shape;
    public readonly Color Color;
    public readonly Shading Shading;

    public CardAttributes(Number number, Shape shape, Color color, Shading shading)
    {
        Number = number;
        Shape = shape;
        Color = color;
        Shading = shading;
    }

    public int Id
    {
        get { return ((int)Number - 1) * 27 + (int)Shape * 9 + (int)Color * 3 + (int)Shading; }
    }
}

public sealed class Card : IEquatable<Card>
{
    public readonly int Id;
    public readonly CardAttributes Attributes;

    private Card(CardAttributes attributes)
    {
        Attributes = attributes;
        Id = attributes.Id;
    }

    // Every combination once, in nested order: whether that is also the order of the ids is for a test to find out.
    public static Card[] Universe()
    {
        var cards = new Card[81];
        int count = 0;
        foreach (Number number in Enum.GetValues(typeof(Number)))
        foreach (Shape shape in Enum.GetValues(typeof(Shape)))
        foreach (Color color in Enum.GetValues(typeof(Color)))
        foreach (Shading shading in Enum.GetValues(typeof(Shading)))
            cards[count++] = new Card(new CardAttributes(number, shape, color, shading));
        return cards;
    }

    public bool Equals(Card other) { return other != null && Id == other.Id; }
    public override bool Equals(object other) { return Equals(other as Card); }
    public override int GetHashCode() { return Id.GetHashCode(); }
}
